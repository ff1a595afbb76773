package pages

import (
	"io"
	"net/http"

	"w3host/control"
	"w3host/texts"
	"w3host/web"
)

// upload stores a map uploaded with a form. It reads the form as a stream, because the file may not fit into memory. The
// form must therefore have its other fields before the file.
func (p *Pages) upload(w http.ResponseWriter, r *http.Request) {
	web.Slow(w, r)
	l := web.Language(r)
	name, err := p.receive(r)
	if err != nil {
		_, _ = io.CopyN(io.Discard, r.Body, p.opts.UploadMax) // browsers read the answer only after they have sent the whole form
		p.answer(w, r, control.Answer{Refused: texts.From(err).In(l)})
		return
	}
	p.answer(w, r, control.Answer{Lines: []string{texts.Sprintf(l, "%s is in the maps folder.", name)}})
}

func (p *Pages) receive(r *http.Request) (name string, err error) {
	form, err := r.MultipartReader()
	if err != nil {
		return "", texts.Of("the form could not be read")
	}
	replace := ""
	for {
		part, err := form.NextPart()
		switch {
		case err == io.EOF:
			return "", texts.Of("choose a file first")
		case err != nil:
			return "", texts.Of("the form could not be read")
		case part.FormName() == "replace":
			replace = "*"
		case part.FormName() == "map" && part.FileName() != "":
			_, _, err := p.opts.Upload(r, web.Upload{Name: part.FileName(), Replace: replace, Size: -1, Body: part})
			return part.FileName(), err
		}
	}
}
