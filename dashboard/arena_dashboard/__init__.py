"""The arena's pages: leaderboard, matches, replays. It reads the database and never writes.

streamlit_app   navigation and what all pages share
views           the pages, one file each
data            cached reads, and the one place that decides what a viewpoint may know
comparison_data     a ladder's comparisons, its history, its checks
tournament_data     tournaments as they stand
watching        a transcript as one viewpoint sees it, moment by moment
url_choice      choices that live in the URL
ladder_choice   the ladder of the URL
browser         JavaScript of the pages, mounted as components
ladder_table    the content of the leaderboard's table
history_chart   the chart of ratings over time
comparison_tables   who beat whom, and a bot's numbers, as HTML
tournament_tables   standings and pairings as HTML
tournament_page     one tournament
tables          the list of matches as HTML
match_page      the parts of a replay around its scene
scenes          a moment of a match as HTML and in words, game by game
markup          HTML that is escaped by construction
"""
