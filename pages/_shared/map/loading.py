"""The Streamlit component of the map, which loads the drawing modules of the library."""

import streamlit as st

# Streamlit sends this text with every rerun, so it only loads the drawing modules, once. The first map of a visit fixes
# their address: from another address the browser would load them again, with a second, empty store of cameras.
_LOADER = """
const base = (globalThis.embedvizBase ??= new URL(".", document.baseURI).href);
export default function (component) {
  const { data, parentElement } = component;
  let ended = false, end = null;
  if (!parentElement.querySelector(".map")) {
    const root = document.createElement("div");
    root.className = "map";
    root.style.height = `${data.spare === null ? data.height : Math.max(data.height, innerHeight - data.spare)}px`;
    parentElement.append(root);
  }
  import(new URL(`scatter/main.mjs?v=${data.version}`, base).href).then(
    (main) => { if (!ended) end = main.default(component, base); },
    () => { parentElement.querySelector(".map").textContent = data.failed; },
  );
  return () => { ended = true; end?.(); };
}
"""
FAILED = "The program that draws the map did not arrive. Reload the page to try again."

COMPONENT = st.components.v2.component("embedviz.map", js=_LOADER)
