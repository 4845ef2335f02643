// Runs the Khronos validator over files and prints one JSON line a file:
//   {"file": …, "issues": [[code, severity, pointer], …]}    severity 0 error, 1 warning
//
//   node check.mjs FILE …        or the names, one a line, on standard input with no FILE
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import validator from "gltf-validator";

const named = process.argv.slice(2);
const files = named.length ? named : readFileSync(0, "utf8").split("\n").filter(Boolean);
for (const file of files) {
  let issues;
  try {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), {
      maxIssues: 0,
      externalResourceFunction: async (uri) =>
        new Uint8Array(readFileSync(resolve(dirname(file), decodeURIComponent(uri)))),
    });
    issues = report.issues.messages
      .filter((m) => m.severity < 2)
      .map((m) => [m.code, m.severity, m.pointer ?? ""]);
  } catch (error) {
    issues = [[`${error}`, 0, ""]];
  }
  console.log(JSON.stringify({ file, issues }));
}
