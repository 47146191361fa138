import type { RequestHandler } from "express";
import { AppError, notFound } from "../chapters/errors.ts";
import { worldTools } from "../worlds/server.ts";
import { bearer } from "./exchange.ts";
import { mcpEndpoint } from "./mcp-endpoint.ts";
import { rpcBody, sendRpcRefusal } from "./rpc-body.ts";
import type { Service } from "./service.ts";

/** Each world at its own MCP endpoint, opened by its connector token and by nothing else. */
export function worldSurface(service: Service): RequestHandler<{ bundle: string; world: string }> {
  const endpoint = mcpEndpoint((err) => service.log.warn({ err }, "a request to a world was refused"));
  return async (req, res) => {
    const { bundle, world: id } = req.params;
    const org = await service.auth.connector(bearer(req), id);
    const world = await service.worlds.forOrg(org.id).open(id, { toCall: true });
    if (world?.bundle !== bundle) throw notFound("world");
    const body = req.method === "POST" ? await rpcBody(req, service.config.maxBodyBytes) : undefined;
    if (body instanceof AppError) return sendRpcRefusal(res, body);
    await endpoint(req, res, worldTools({ name: world.bundle, tools: world.world.tools, call: world.call }), body);
  };
}
