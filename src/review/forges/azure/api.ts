import type { z } from "zod";
import { azureParts } from "../address.ts";
import { type ConnectionOptions, createForgeClient, type ForgeClient, type ForgeRequest } from "../client.ts";
import type { RepositoryAddress } from "../forge.ts";

/** The API version, which Azure DevOps Services and Azure DevOps Server 2020 and later support. */
const VERSION = "6.0";

/** Entries requested per page of a pull request's commits and of a commit's changes. */
export const PAGE = 100;
export const MAX_PAGES = 100;

/** The REST API of Azure DevOps, mostly its Git routes (https://learn.microsoft.com/rest/api/azure/devops/git/). */
export interface AzureApi {
  readonly client: ForgeClient;
  /** Path of the project's routes. */
  readonly project: string;
  /** Path of the repository's routes. */
  readonly repository: string;
  /** Sends a request with the version of the API. */
  send(request: ForgeRequest): ReturnType<ForgeClient["send"]>;
  json<Shape>(schema: z.ZodType<Shape>, request: ForgeRequest): Promise<Shape>;
}

/** Creates the API of a repository of Azure DevOps Services or Azure DevOps Server. */
export function createAzureApi(address: RepositoryAddress, options: ConnectionOptions): AzureApi {
  const { base, project, name } = azureParts(address);
  const client = createForgeClient({
    forge: "azure",
    host: address.host,
    base: `https://${address.host}${base}`,
    // Without this header, the response to a rejected token is a redirect to a sign-in page.
    headers: { "x-tfs-fedauthredirect": "Suppress" },
    ...options,
  });
  const versioned = (request: ForgeRequest): ForgeRequest => ({
    ...request,
    query: { "api-version": VERSION, ...request.query },
  });
  const projectPath = `/${encodeURIComponent(project)}`;
  return {
    client,
    project: projectPath,
    repository: `${projectPath}/_apis/git/repositories/${encodeURIComponent(name)}`,
    send: (request) => client.send(versioned(request)),
    json: (schema, request) => client.json(schema, versioned(request)),
  };
}
