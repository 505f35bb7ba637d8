/** A button that prints the page. */
import { element } from "../../../embedviz/figures/web/elements.mjs";

/** @param {{parentElement: any}} component */
export default function printing({ parentElement }) {
  if (parentElement.querySelector("button")) return;
  const button = element("button", { type: "button" }, "Print");
  button.addEventListener("click", () => window.print());
  parentElement.append(button);
}
