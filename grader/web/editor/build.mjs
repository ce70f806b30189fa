// Builds static/editor.js from editor.js and the locked packages: npm ci --ignore-scripts && npm run build
// The bundle is committed. Its first line holds the digest of what it was made from, bundle.sha256 its own: a test
// compares both, and another one builds it anew.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SOURCES = ["build.mjs", "editor.js", "package-lock.json", "package.json"];
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const digest = (parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest("hex");

const sources = digest(SOURCES.map((name) => readFileSync(here(name))));
const license = readFileSync(here("node_modules/@codemirror/view/LICENSE"), "utf8"); // the others' are the same
const elsewhere = process.argv[2];
const outfile = elsewhere ?? here("../../report/static/editor.js");

await build({
  entryPoints: [here("editor.js")],
  outfile,
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "graderEditor",
  target: "es2022",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
  banner: { js: `// made from grader/web/editor ${sources}\n/* CodeMirror 6 and Lezer\n\n${license}*/` },
});
if (!elsewhere) writeFileSync(here("bundle.sha256"), `${digest([readFileSync(outfile)])}\n`);
