/** Entry point for the parts next to a moving map: player, curves and the list of a word. */

import { Curves } from "./curves.mjs";
import { Nearest } from "./nearest.mjs";
import { Player } from "./player.mjs";
import { reelOf } from "./reel.mjs";

const PARTS = { player: Player, curves: Curves, nearest: Nearest };
/** Each part by its element, with the name of its reel. @type {WeakMap<object, any>} */
const made = new WeakMap();

/**
 * Called at each change of data or theme; the same place keeps the same part.
 * @param {{data: any, parentElement: ShadowRoot | HTMLElement, setTriggerValue: (name: string, value: unknown) => void}} component
 */
export default function parts({ data, parentElement, setTriggerValue }) {
  const reel = reelOf(data.reel);
  let held = made.get(parentElement);
  if (held && held.reel !== reel) {
    held.end();
    parentElement.replaceChildren();
    held = null;
  }
  if (!held) made.set(parentElement, (held = new PARTS[data.part](parentElement, reel)));
  reel.parts.add(held);
  if (data.part === "player") {
    held.tell = (step) => setTriggerValue("step", step);
    reel.take(data.stops, data.step);
  } else if (data.part === "curves") held.show(data.charts, data.columns, data.chart);
  else held.show(data.lists, (word) => setTriggerValue("word", word));
  return () => setTimeout(() => held.root.isConnected || held.end());
}
