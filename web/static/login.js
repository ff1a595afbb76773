// The code of a link stands behind the #, which no server and no log ever sees. A button
// sends it, so that whoever looks at the link for a preview does not spend it.
const code = location.hash.match(/^#once=(\w+)$/)?.[1];
if (code) {
	history.replaceState(null, "", location.pathname);
	const form = document.getElementById("once");
	form.elements.once.value = code;
	form.querySelector("button").focus();
}
