import { createContext, useContext } from "react";
import type { OwnKeyView } from "../../../src/proxy/gateway/admin-api-types.ts";
import type { Api } from "./api.ts";

/** The session of a person who has signed in. */
export interface Session {
  readonly key: OwnKeyView;
  /** The secret, for the event stream of the current calls. */
  readonly secret: string;
  /** The admin API for admins, or otherwise the API of the key's own calls. */
  readonly api: Api;
  readonly isAdmin: boolean;
  /** Ends the session and shows the sign-in form, with `reason` as its message. */
  signOut(reason?: string): void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** Returns the session of the page. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error("There is no session");
  return session;
}
