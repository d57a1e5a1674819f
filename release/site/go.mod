// The site of the documentation: the pages of docs/ with a search, as files that any server serves.
module github.com/rollstamp/rollstamp/release/site

go 1.26.0

require github.com/yuin/goldmark v1.8.7
