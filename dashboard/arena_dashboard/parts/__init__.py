"""The pieces that every page is made of: text as HTML, tables, charts, choices in the address."""
