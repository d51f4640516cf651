import { create } from "zustand";
import { baseUrl } from "./base-url.ts";

/** The error of a failed request: the proxy's status, code and message, or status 0 if there was no response. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export type QueryValues = Readonly<Record<string, string | number | undefined>>;

/**
 * Sends requests to one of the proxy's APIs, with a key that is only kept in memory. A failed request rejects with
 * `ApiError`, and an aborted one with the error of `fetch`.
 */
export interface Api {
  get<Value>(path: string, query?: QueryValues, signal?: AbortSignal): Promise<Value>;
  getText(path: string, query?: QueryValues): Promise<string>;
  send<Value>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<Value>;
}

export const ADMIN_API = "/api/admin/v1";
export const OWN_API = "/api/me/v1";

/** Whether the last request received no response. */
export const useConnection = create<{ readonly isLost: boolean }>(() => ({ isLost: false }));

/** Creates the client of an API. `onRejected` is called when the proxy does not accept the key (status 401). */
export function createApi(path: string, key: string, onRejected: () => void): Api {
  const request = async (route: string, query: QueryValues, init: RequestInit): Promise<Response> => {
    const url = `${baseUrl(location)}${path}${route}${queryText(query)}`;
    const headers = { ...init.headers, authorization: `Bearer ${key}` };
    const response = await fetch(url, { ...init, headers, cache: "no-store" }).catch((error: unknown) => {
      if (init.signal?.aborted) throw error;
      useConnection.setState({ isLost: true });
      throw new ApiError(0, "unreachable", "The proxy cannot be reached. Check that it runs.");
    });
    useConnection.setState({ isLost: false });
    if (response.ok) return response;
    const error = await errorIn(response);
    if (response.status === 401) onRejected();
    throw error;
  };
  return {
    get: async (route, query = {}, signal) => (await request(route, query, signal ? { signal } : {})).json(),
    getText: async (route, query = {}) => (await request(route, query, {})).text(),
    async send(method, route, body) {
      const content = body !== undefined && {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      return (await request(route, {}, { method, ...content })).json();
    },
  };
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

async function errorIn(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { code = "", message = "", hint = "" } = Object(Object(body).error) as Partial<ErrorBody>;
  const text = message || `The proxy responded with ${response.status} and no message.`;
  return new ApiError(response.status, code, hint === "" ? text : `${text.replace(/\.$/, "")}. ${hint}`);
}

function queryText(query: QueryValues): string {
  const members = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return members.length === 0 ? "" : `?${new URLSearchParams(members)}`;
}
