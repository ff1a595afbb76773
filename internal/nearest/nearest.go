// Package nearest finds the known word that is most similar to a mistyped one, for suggestions such as "did
// you mean". The configuration, map settings, chat commands and the command line use it.
package nearest

// Word returns the first known word with the smallest Distance, or "" if known is empty.
func Word(word string, known []string) string {
	best, fewest := "", 0
	for i, k := range known {
		if i > 0 && max(len(word)-len(k), len(k)-len(word)) >= fewest {
			continue // cannot be nearer
		}
		if d := Distance(word, k); i == 0 || d < fewest {
			best, fewest = k, d
		}
	}
	return best
}

// Within reports whether the Distance of two words is at most most.
func Within(a, b string, most int) bool {
	return max(len(a)-len(b), len(b)-len(a)) <= most && Distance(a, b) <= most
}

// Distance returns the number of bytes to insert, delete, change or swap with their neighbour to turn a into
// b (optimal string alignment distance).
func Distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := d[i-1][j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			d[i][j] = min(change, d[i-1][j]+1, d[i][j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
