import type { Request, Response } from "express";
import { AppError, ERROR_STATUS } from "../../chapters/errors.ts";
import { sendJson } from "../http/access.ts";
import { jsonBody } from "../http/request-body.ts";

const PARSE_ERROR = -32700;

/** A JSON-RPC body, or the refusal of it. */
export async function rpcBody(req: Request, limit: number): Promise<unknown> {
  try {
    return await jsonBody(req, limit);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Refuses a body that could not be read as JSON-RPC words it, with the HTTP status of the cause. */
export function sendRpcRefusal(res: Response, { code, reason }: AppError): void {
  sendJson(res, ERROR_STATUS[code], { jsonrpc: "2.0", id: null, error: { code: PARSE_ERROR, message: reason } });
}
