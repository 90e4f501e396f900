"""The arena's pages: leaderboard, matches and replays.

The package reads the database and never writes to it: the referee does what an owner asks for.

streamlit_app   navigation and what all pages share
views           the pages, one file each
serving         the application around them: index document, gate, documentation, feeds
home, events, uploads, bots, ladders, matches, tournaments, owners, operating
                what the pages about these read (…_data) and show (…_tables)
playing         people who play
player          the component that plays a match; its JavaScript is in player/assets
browser         JavaScript of the pages, mounted as components
news            notices to open pages that their content is out of date
reading         cached reads; data.py alone decides what a viewpoint may know
parts           HTML that is escaped by construction, tables, charts, choices in the address
"""
