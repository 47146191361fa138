import type { IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import type { RpcMessage } from "./rpc-headers.ts";

/** The message an HTTP answer ends with, whether it came as JSON or as a stream of events. Throws when it broke off. */
export async function finalMessage(res: IncomingMessage): Promise<RpcMessage> {
  if (!res.headers["content-type"]?.startsWith("text/event-stream")) {
    let text = "";
    for await (const chunk of res.setEncoding("utf8")) text += chunk;
    return JSON.parse(text) as RpcMessage;
  }
  let last: RpcMessage | undefined;
  for await (const data of eventData(res)) last = JSON.parse(data) as RpcMessage;
  if (!last) throw new Error("the answer held no message");
  return last;
}

/** The data of each event of a stream. Throws when it broke off. */
export async function* eventData(res: IncomingMessage): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of createInterface({ input: res, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
    else if (line === "" && data.length > 0) {
      const whole = data.join("\n");
      data = [];
      if (whole !== "") yield whole;
    }
  }
  if (!res.complete) throw new Error("the answer broke off");
}
