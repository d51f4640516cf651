/** An MCP server of the configuration. */
export interface McpServerConfig {
  readonly enabled: boolean;
  /** The server's URL; undefined for a program. */
  readonly url: string | undefined;
  /** The program that the proxy starts as the server; undefined for a server over HTTP. */
  readonly program?: McpProgram | undefined;
  /** The settings of the sign-in; undefined if the server needs no OAuth. */
  readonly oauth?: McpOauth | undefined;
  /** The headers of each request to the server, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly prefix: McpPrefix;
}

/** Texts that precede the names of a server's items where several servers are served together. */
export interface McpPrefix {
  /** The prefix of names of tools and prompts, for example `github__`; empty for none. */
  readonly name: string;
  /** The prefix of URIs, for example `github+`; empty for none. */
  readonly uri: string;
}

/** The sign-in to an MCP server by OAuth. */
export interface McpOauth {
  /** The id of a registered client; undefined: the proxy registers a client. */
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The requested scopes; undefined: those that the server names. */
  readonly scope: string | undefined;
  /** The port of the redirect URL; 0: any port. */
  readonly redirectPort: number;
  /** The file with the tokens. */
  readonly file: string;
}

/** A program that the proxy starts as an MCP server. */
export interface McpProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** The program's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /**
   * Whether the program's requests are forwarded to a client. This is possible only while all running calls
   * belong to that client.
   */
  readonly sendsRequests?: boolean;
  /** The folders in which the program is looked up, in the form of PATH. */
  readonly path: string | undefined;
}

/** The endpoint that serves all MCP servers. */
export interface McpGatewayConfig {
  /** Milliseconds for which a list waits for a server. */
  readonly listMs: number;
  readonly pageSize: number;
}
