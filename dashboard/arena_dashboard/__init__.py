"""The arena's pages: leaderboard, matches, replays. It reads the database and never writes.

streamlit_app   navigation and what all pages share
views           one page, one question, one file
data            cached reads, and the one place that decides what a viewpoint may know
comparison_data     what stands beside a ladder's Elo, its history, its checks
live_board      one ladder's board, kept up to date while the arena plays
watching        a transcript as one viewpoint sees it, moment by moment
choosing        choices that live in the URL
ladder_choice   the ladder of the URL
charts          data frames as pictures
history_chart   the chart of ratings over time
comparison_tables   who beat whom, and a bot's numbers, as HTML
tables          the leaderboard and the list of matches as HTML
match_page      what stands around the scene of a replay
scenes          a moment of a match as HTML and in words, game by game
markup          HTML that is escaped by construction
"""
