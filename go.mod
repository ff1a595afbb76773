module w3host

go 1.26
