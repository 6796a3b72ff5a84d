// How the search of Sphinx orders its hits: a word in the index leads to its page, then
// come functions of that name, titles and texts. Among equals, the guide comes first.
// Pages for developers, changes and full tables come last.
const BACKGROUND = new Set([
  "api/measures",
  "benchmarks",
  "benchmarks_full",
  "changelog",
  "conduct",
  "conformance",
  "contributing",
  "mistakes",
  "mutation",
  "published",
  "security",
]);

function placeOf(page) {
  if (BACKGROUND.has(page) || page.startsWith("evidence")) return -100;
  if (page.startsWith("guide/")) return 4;
  if (page.startsWith("api/")) return 0;
  if (page.startsWith("auto_examples/")) return 1;
  return page === "glossary" ? 2 : 3;
}

const query = new URLSearchParams(window.location.search).get("q") || "";
const words = query.toLowerCase().match(/\w{4,}/g) || [];

function wordsIn(title) {
  return words.filter((word) => title.toLowerCase().includes(word)).length;
}

var Scorer = {
  score: ([page, title, anchor, description, score]) =>
    score + placeOf(page) + 3 * wordsIn(title),
  objNameMatch: 20,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
