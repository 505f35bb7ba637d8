import assert from "node:assert/strict";
import { test } from "node:test";
import { linkFor } from "../../pages/_shared/output/links.mjs";

const HERE = "http://127.0.0.1:8501/learn?lesson=near";

test("a link that opens on this computer only is told, and replaced where the network can open the app", () => {
  assert.match(linkFor(HERE, {}).said, /^Copied\. Others cannot open this link/);
  const shut = linkFor(HERE, { network: "http://10.0.0.5:8501", open: false });
  assert.equal(shut.link, HERE);
  assert.match(shut.said, /Others cannot open .* make serve, then others open http:\/\/10\.0\.0\.5:8501\/learn\?lesson=near$/);
  const open = linkFor(HERE.replace("127.0.0.1", "localhost"), { network: "http://10.0.0.5:8501", open: true });
  assert.equal(open.link, "http://10.0.0.5:8501/learn?lesson=near");
  assert.match(open.said, /localhost:8501 opens on this computer only/);
});

test("a query for others takes the place of that of the page", () => {
  const [query, page] = ["run=look", "https://example.org/train?run=control&job=1"];
  assert.equal(linkFor(page, { query }).link, "https://example.org/train?run=look");
  assert.equal(linkFor(HERE, { query }).link, "http://127.0.0.1:8501/learn?run=look");
  assert.equal(linkFor(HERE, { query, network: "http://10.0.0.5:8501", open: true }).link, "http://10.0.0.5:8501/learn?run=look");
});

test("any other link is copied as it is", () => {
  assert.deepEqual(linkFor("http://10.0.0.5:8501/x", { network: "http://10.0.0.5:8501", open: true }), { link: "http://10.0.0.5:8501/x", said: "" });
});
