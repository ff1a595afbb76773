package texts

// Catalogues are the translations of each language but English.
var Catalogues = catalogues
