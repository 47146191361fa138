import type { RequestHandler } from "express";
import { AppError, notFound } from "../../chapters/errors.ts";
import { worldTools } from "../../worlds/server.ts";
import { bearer } from "../http/access.ts";
import type { Service } from "../service/service.ts";
import { mcpEndpoint } from "./mcp-endpoint.ts";
import { rpcBody, sendRpcRefusal } from "./rpc-body.ts";

/** Each world at its own MCP endpoint, opened only by its connector token; calls of minted worlds count in the limits. */
export function worldSurface(service: Service): RequestHandler<{ bundle: string; world: string }> {
  const endpoint = mcpEndpoint((err) => service.log.warn({ err }, "a request to a world was refused"));
  return async (req, res) => {
    const { bundle, world: id } = req.params;
    const { org, token } = await service.auth.connector(bearer(req), id);
    const world = await service.worlds.forOrg(org).open(id, { toCall: true });
    if (!world?.at(bundle)) throw notFound("world");
    // A trial was counted when it was begun: a limit that refused its calls would be told as the agent's failing.
    if (world.minted) await service.limits.count({ credential: token, org }, req);
    const body = req.method === "POST" ? await rpcBody(req, service.config.maxBodyBytes) : undefined;
    if (body instanceof AppError) return sendRpcRefusal(res, body);
    await endpoint(req, res, worldTools({ name: world.name, tools: world.world.tools, call: world.call }), body);
  };
}
