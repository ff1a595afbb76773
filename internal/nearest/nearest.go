// Package nearest finds the word that somebody probably meant.
package nearest

// Word is the first of the known words that takes the fewest changes of one
// letter; empty when nothing is known.
func Word(word string, known []string) string {
	best, fewest := "", 0
	for i, k := range known {
		if d := Distance(word, k); i == 0 || d < fewest {
			best, fewest = k, d
		}
	}
	return best
}

// Distance counts the letters to insert, delete or change to get from a to b.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
