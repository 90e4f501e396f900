"""The arena's pages: leaderboard, matches and replays.

The package reads the database and never writes to it.

streamlit_app   navigation and what all pages share
index_page      the HTML document of each page
views           the pages, one file each
data            cached reads; the only place that decides what a viewpoint may know
remembering     a reader that repeats the rows it read last while the database is away
short_memory    values that are kept by name for a few seconds
comparison_data     a ladder's comparisons, its history, its checks
bot_data        the index of bots, a profile, the style in the latest matches
match_filter    the filters of the list of matches
tournament_data     the current state of tournaments
watching        a transcript as one viewpoint sees it, moment by moment
url_choice      choices that live in the URL
ladder_choice   the ladder of the URL
owners          the signed-in owner, and the client of the referee that carries out owners' actions
identities      signing in by an identity provider
kept_sign_in    the cookie that keeps a browser signed in
sign_in         the forms to sign up and to sign in
own_tables      an owner's bots as HTML
uploads         uploaded builds: the form, progress of the check, logs, rolling back
submitting      a bot that was just registered: its starter and its first steps
streams         limits on open streams of news
static_files    Streamlit's files, compressed, from memory
news            notices to open pages that their content is out of date
browser         JavaScript of the pages, mounted as components
ladder_data     the content of the leaderboard, made once for all visitors
ladder_table    the content of the leaderboard's table
history_chart   the chart of ratings over time
decision_tables the values of the decisions of a match
comparison_tables   who beat whom, and a bot's numbers, as HTML
bot_tables      the index of bots and a profile, as HTML and as a chart
drawn           a chart that is built once and shown often
bot_chart       the chart of a bot's ratings
versus          the results of two bots against each other, and the verdict
tournament_tables   standings and pairings as HTML
tournament_pictures a bracket, a crosstable or a matrix
tournament_page     one tournament
tables          the list of matches as HTML
home_data, home_tables  the content of the page "Home"
live_match      the match that is shown live, followed once for all visitors
match_page      the facts and links around the player on the page of a match
scenes          a moment of a match as data and in words, game by game
frames          a watched match as the JSON that the player steps through
player          the component that plays it; its JavaScript is in player/assets
markup          HTML that is escaped by construction
"""
