"""The data set of decisions: a folder of Parquet files with a card and Croissant metadata."""
