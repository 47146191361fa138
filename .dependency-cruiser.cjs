// What each folder may import. A failure names the rule; its comment says where the code belongs.
const only = (from, allowed, comment) => ({
  name: `${from}-imports`,
  comment,
  severity: "error",
  from: { path: `^${from}/` },
  to: { path: "^(worlds|store|chapters|tools|src)/", pathNot: `^(${[from, ...allowed].join("|")})/` },
});
/** Chapters and what they share, from the lowest: each may import those before it. */
const CHAPTERS = [
  "text",
  "records",
  "ports",
  "statistics",
  "organization",
  "models",
  "modes",
  "dimensions",
  "code-host",
  "evidence",
  "sources",
  "sandboxes",
  "ontology",
  "agents",
  "runs",
  "findings",
  "exports",
  "online",
  "automation",
];
const inOrder = CHAPTERS.map((chapter, at) => ({
  name: `chapters-in-order-${chapter}`,
  comment: "A chapter imports lower ones alone: what reacts to several chapters lies in chapters/automation/.",
  severity: "error",
  from: { path: `^chapters/${chapter}/` },
  to: { path: `^chapters/(${CHAPTERS.slice(at + 1).join("|") || "$none"})/` },
}));
module.exports = {
  forbidden: [
    ...inOrder,
    {
      name: "no-circular",
      comment: "Cut the cycle: move the shared part down a layer.",
      severity: "error",
      from: {},
      to: { circular: true, dependencyTypesNot: ["type-only"] },
    },
    only("worlds", [], "worlds/ is a library of its own: it imports nothing of the service."),
    only(
      "store",
      ["chapters"],
      "store/ implements chapters/ports/ and may name entity types of chapters/, and nothing above.",
    ),
    only(
      "chapters",
      ["worlds"],
      "chapters/ hold domain logic: no transport, no SQL, no vendor. Ask for what you need through a port in Ctx.",
    ),
    only("tools", ["chapters", "worlds"], "tools/ declare operations over chapters/."),
    {
      name: "store-uses-entity-types-only",
      comment:
        "store/ may import the types and the record kinds of chapters/ (chapters/records/, record.ts, ids), never their logic.",
      severity: "error",
      from: { path: "^store/" },
      to: {
        path: "^chapters/",
        pathNot: "^chapters/(record|kinds|errors|page)\\.ts$|^chapters/records/",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "sql-in-store-only",
      comment: "SQL and database drivers live in store/; the queue of several servers is one library in one file.",
      severity: "error",
      from: { path: "^(worlds|chapters|tools|src)/", pathNot: "^(worlds/samples/|src/jobs/queue/shared\\.ts)" },
      to: { path: "node_modules/(better-sqlite3|drizzle-orm|pg|pg-boss)/" },
    },
    {
      name: "transports-in-src-only",
      comment: "Express and MCP transports live in src/.",
      severity: "error",
      from: { path: "^(worlds|chapters|tools|store)/", pathNot: "^worlds/samples/" },
      to: { path: "node_modules/(express|helmet|undici|@modelcontextprotocol/.*)/" },
    },
    {
      name: "mcp-sdk-in-two-files",
      comment:
        "SDK imports stay in src/mcp/mcp-endpoint.ts and src/mcp/direct-request.ts, so that the SDK's next line is a small change.",
      severity: "error",
      from: {
        path: "^(src|worlds|chapters|tools|store)/",
        pathNot: "^(src/mcp/(mcp-endpoint|direct-request)\\.ts|worlds/samples/)",
      },
      to: { path: "node_modules/@modelcontextprotocol/" },
    },
    {
      name: "processes-in-src-only",
      comment: "Processes and sockets are src/'s business.",
      severity: "error",
      from: { path: "^(worlds|chapters|tools|store)/", pathNot: "^worlds/samples/" },
      to: { path: "^(node:)?(child_process|net|http|https|worker_threads|cluster)$" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    parser: "swc",

    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".js", ".mjs", ".json"],
    },
  },
};
