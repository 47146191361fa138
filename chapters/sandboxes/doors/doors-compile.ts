import type { BaseState, Bundle, ToolDefinition } from "../../../worlds/bundle.ts";
import { type CompiledApi, compileApi } from "../../../worlds/http/compile.ts";
import type { HttpGrammar } from "../../../worlds/http/grammar.ts";
import { type Capture, type Census, observeApi } from "../../../worlds/http/observe.ts";
import type { ComputeTask } from "../../compute.ts";

interface DoorInput {
  readonly name: string;
  readonly captures: readonly Capture[];
  /** Tools of documents that declare HTTP operations. */
  readonly listed: readonly ToolDefinition[];
  readonly templates: readonly string[];
}

interface CompiledDoor {
  readonly grammar: HttpGrammar;
  readonly census: Census;
  readonly bundle: Bundle;
  readonly base: BaseState;
  readonly report: CompiledApi["report"];
  readonly replay: CompiledApi["replay"];
}

/** Compiles an API from its captures and documents: routes, the tables behind them, and what each route does with them. */
export const compileDoor: ComputeTask<DoorInput, CompiledDoor> = {
  name: "compile_door",
  run: ({ name, captures, listed, templates }) => {
    const declared = listed.flatMap((tool) => {
      const { http } = tool;
      return http ? [{ method: http.method, template: http.path, tool, statuses: http.statuses }] : [];
    });
    const { grammar, tools, traces, census } = observeApi(captures, declared, templates);
    const { bundle, base, report, replay } = compileApi(traces, grammar, name, tools);
    return { grammar, census, bundle, base, report, replay };
  },
};
