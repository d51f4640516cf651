import { type CallMemory, createCallMemory } from "../translate/conversations/call-memory.ts";
import { type ConversationStore, scopeConversations } from "../translate/conversations/conversation-store.ts";
import type { Call } from "./call.ts";

/** Returns the conversations of the caller's key; all callers without a key share one store. */
export function callersConversations(call: Call): ConversationStore {
  return scopeConversations(call.services.conversations, getOwner(call));
}

/**
 * Returns the store of data that clients leave out when they send tool calls back; undefined if the configuration
 * disables it.
 */
export function callersMemory(call: Call): CallMemory | undefined {
  if (!call.runtime.config.rememberThinking) return undefined;
  return createCallMemory(callersConversations(call), call.services.callCache, getOwner(call));
}

function getOwner({ key }: Call): string {
  // A virtual key keeps its id when it is rotated.
  return key?.id ?? key?.sha256.toString("hex") ?? "";
}
