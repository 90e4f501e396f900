"""The player: a component that gets a whole match and steps through it in the browser.

component   registers and mounts it
assets      JavaScript modules and the style sheet; `main.js` is where the browser begins
"""
