import { useEffect, useRef } from "react";
import { dashboardContent } from "../../../src/render/dashboard/dashboard.ts";
import { useSession } from "../data/session.ts";
import { showCurrent } from "./show-current.ts";

/** Renders the calls of all keys since the start: the page that a proxy without keys shows to everybody. */
export function CurrentView() {
  const room = useRef<HTMLElement>(null);
  const { secret, signOut } = useSession();
  useEffect(() => {
    if (!room.current) return undefined;
    const aborter = new AbortController();
    const onLocked = () => signOut("That key is no longer valid.");
    showCurrent(room.current, { secret, render: dashboardContent, onLocked, signal: aborter.signal });
    return () => aborter.abort();
  }, [secret, signOut]);
  return <main ref={room} />;
}
