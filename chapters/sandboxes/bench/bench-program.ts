/**
 * The program of an exported dataset: the text of one module of plain JavaScript that needs nothing but Node.
 * `node FILE serve FOLDER JOURNAL PORT` serves the world of FOLDER/world.json over MCP and keeps its calls;
 * `node FILE verify TESTS LOGS JOURNAL APP` plays the kept calls on the drawn world again and decides.
 */
export interface BenchProgram {
  text(): Promise<string>;
}
