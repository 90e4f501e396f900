"""Generated from proto/arena/v1 by proto/generate.sh; never edited by hand."""
