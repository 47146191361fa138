/** The programs of an exported dataset, each the text of one module of plain JavaScript that needs nothing but Node. */
export interface BenchPrograms {
  files(): Promise<{
    /** `node world.mjs FOLDER JOURNAL [PORT]`: serves the world of FOLDER/world.json over MCP and keeps its calls. */
    readonly world: string;
    /** `node verifier.mjs TESTS LOGS JOURNAL APP`: plays the calls on the drawn world again and decides. */
    readonly verifier: string;
  }>;
}
