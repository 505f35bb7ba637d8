"""The few rules of style that Streamlit's theme cannot say; each names what it cures."""

from __future__ import annotations

import streamlit as st

_RULES = """
<style>
/* the band above the title, while the menu stands beside the page */
@media (min-width: 640px) {
  .stApp:has([data-testid="stSidebar"][data-collapsed="false"]) .stMainBlockContainer.stMainBlockContainer,
  .stApp:has([data-testid="stSidebar"][aria-expanded="true"]) .stMainBlockContainer.stMainBlockContainer {padding-top: .5rem}
  .stApp [data-testid="stHeader"] {background: transparent}
  .stMainBlockContainer.stMainBlockContainer {max-width: 1360px; padding-left: 2rem; padding-right: 2rem}
}
@media (max-width: 639px) {
  .stMainBlockContainer.stMainBlockContainer {padding-left: 1rem; padding-right: 1rem}
  .stMainBlockContainer button, [data-testid="stSidebar"] button:not([data-testid*="ollapse"]) {min-height: 40px}
}
/* one height for all controls of a row */
[data-testid="stButtonGroup"] button {min-height: 40px}
/* a chosen segment is ink on paper in both themes: Streamlit would write it in the fill's color */
[data-testid="stButtonGroup"] button[data-selected="true"] *, [data-testid="stTab"][data-selected="true"] * {color: var(--ev-ink) !important}
[data-testid="stSidebarNavLink"]:focus-visible {outline: 2px solid currentColor !important}
/* the header line of a page */
.ev-head {display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem; min-height: 40px}
h1, h2 {font-family: "Source Serif", serif}
.ev-head h1 {font-weight: 600; font-size: 1.75rem; padding: 0; margin: 0; line-height: 40px}
.ev-head span, .ev-note, .ev-muted {color: var(--ev-muted); font-size: .875rem}
.ev-note {max-width: 56rem; margin: 0; overflow-wrap: anywhere}
.ev-meaning {font-size: 1.0625rem; max-width: 56rem; margin: 0; overflow-wrap: anywhere}
.ev-small {font-size: .875rem; margin: 0}
/* a state: what is, what is safe */
.ev-state {font-family: "Source Serif", serif; font-size: 1.25rem; font-weight: 600; margin: 0 0 .25rem; overflow-wrap: anywhere}
.ev-plain {margin: 0; max-width: 44rem; overflow-wrap: anywhere}
/* side panel */
.ev-panel {border-top: 1px solid var(--ev-border); padding-top: .75rem}
.ev-panel h2, .ev-card h2 {font-weight: 600; font-size: 1.25rem; margin: 0; padding: 0; overflow-wrap: anywhere}
.ev-panel h3, .ev-card h3 {font-family: inherit; font-size: .9375rem; font-weight: 600; margin: 0; padding: 0}
table.ev {border-collapse: collapse; width: 100%; font-size: .9375rem; font-variant-numeric: tabular-nums; margin: .25rem 0}
table.ev th {font-weight: 400; color: var(--ev-muted); font-size: .8125rem; text-align: left; padding: .25rem .5rem .25rem 0; border: 0}
table.ev td {padding: .25rem .5rem .25rem 0; border: 0; border-top: 1px solid var(--ev-grid); overflow-wrap: anywhere}
table.ev .num {text-align: right; white-space: nowrap; padding-right: 0}
table.ev th.num {text-align: right}
table.ev tr.here td {font-weight: 600}
/* the trust badge */
.st-key-badge [data-testid="stPopover"] button, .st-key-badge-checking > div {border-radius: 999px}
.st-key-badge [data-testid="stPopover"] button {min-height: 34px; padding: 0 .9rem; background: transparent}
.st-key-badge [data-testid="stPopover"] button p {font-size: .875rem; white-space: nowrap}
.ev-pill {display: inline-block; line-height: 32px; padding: 0 .9rem; border: 1px solid var(--ev-border); border-radius: 999px; font-size: .875rem}
/* word rows of a list: as quiet as a table */
.ev-bar {position: relative; height: 6px; border-radius: 3px; background: var(--ev-track); min-width: 3rem}
.ev-bar i {position: absolute; left: 0; top: 0; bottom: 0; border-radius: 3px; background: var(--ev-blue)}
.ev-bar i.grey {background: var(--ev-rest)}
.ev-bar b {position: absolute; top: -3px; bottom: -3px; width: 2px; background: var(--ev-ink)}
.ev-dot {display: inline-block; width: .6rem; height: .6rem; border-radius: 50%; border: 1.5px solid currentColor; vertical-align: baseline}
.ev-dot.near {background: currentColor}
.ev-dot.none {border-style: dotted; opacity: .6}
[class*="st-key-list-"] {gap: 0 !important}
[class*="st-key-list-"] [data-testid="stHorizontalBlock"] {gap: .75rem; align-items: center; flex-wrap: nowrap}
[class*="st-key-list-"] button {padding: 0; min-height: 28px; justify-content: flex-start}
[class*="st-key-list-"] button p {font-size: .9375rem}
.ev-claim {font-family: "Source Serif", serif; font-weight: 600; font-size: 2.5rem; line-height: 1.12; margin: 0; padding: 0; max-width: 22rem}
.ev-lead {font-size: 1.125rem; line-height: 1.45; color: var(--ev-muted); max-width: 24rem; margin: 1rem 0 1.25rem}
@media (max-width: 639px) {.ev-claim {font-size: 2rem} [class*="st-key-list-"] button {min-height: 40px}}
</style>
"""


def apply(theme: object) -> None:
    """Puts the rules on the page, with the theme's own values for the figures' and tables' colors."""
    names = ("muted", "border", "grid", "ink", "rest")
    values = "".join(f"--ev-{name}: {getattr(theme, name)};" for name in names)
    blue = theme.categorical[0]  # type: ignore[attr-defined]
    st.html(_RULES + f"<style>:root {{{values} --ev-blue: {blue}; --ev-track: {theme.grid}}}</style>")  # type: ignore[attr-defined]
