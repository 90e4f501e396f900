"""The arena's pages: leaderboard, matches, replays. It reads the database and never writes.

streamlit_app   navigation and what all pages share
index_page      the HTML with which they begin
views           the pages, one file each
data            cached reads, and the one place that decides what a viewpoint may know
remembering     a reader that shows what it read last while the database is away
short_memory    values that are kept by name for some seconds
comparison_data     a ladder's comparisons, its history, its checks
bot_data        the index of bots, a profile, the style in the latest matches
match_filter    the filters of the list of matches
tournament_data     tournaments as they stand
watching        a transcript as one viewpoint sees it, moment by moment
url_choice      choices that live in the URL
ladder_choice   the ladder of the URL
owners          who is signed in, and the referee that is asked for what an owner does
identities      signing in by an identity provider
kept_sign_in    the cookie by which a browser stays signed in
sign_in         the forms to sign up and to sign in
own_tables      an owner's bots as HTML
uploads         uploaded builds: the form, the check as it happens, logs, the way back
submitting      a bot that was just registered: its starter and its first steps
streams         how many streams of news are open
static_files    Streamlit's files, compressed, from memory
news            tells open pages that what they show is out of date
browser         JavaScript of the pages, mounted as components
ladder_data     what the leaderboard shows, made once for all visitors
ladder_table    the content of the leaderboard's table
history_chart   the chart of ratings over time
decision_tables what the decisions of a match were worth
comparison_tables   who beat whom, and a bot's numbers, as HTML
bot_tables      the index of bots and a profile, as HTML and as a chart
drawn           a chart that is drawn once and shown often
bot_chart       the chart of a bot's ratings
versus          what two bots' results against each other say
tournament_tables   standings and pairings as HTML
tournament_pictures a bracket, a crosstable or a matrix
tournament_page     one tournament
tables          the list of matches as HTML
home_data, home_tables  what the page "Home" shows
live_match      the match that is shown live, followed for all visitors once
match_page      what surrounds the player on the page of a match
scenes          a moment of a match as data and in words, game by game
frames          a watched match as the JSON that the player steps through
player          the component that plays it; its JavaScript is in player/assets
markup          HTML that is escaped by construction
"""
