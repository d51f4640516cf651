import type { z } from "zod";
import type {
  auditSchema,
  callDetailSchema,
  callSchema,
  healthSchema,
  keyLimitsStateSchema,
  keySchema,
  settingsSchema,
  teamSchema,
  usageRowSchema,
} from "./admin-schemas.ts";
import type { keyPatchSchema, newKeySchema, newTeamSchema, teamPatchSchema } from "./key-schemas.ts";
import type { ownKeySchema, ownLimitsSchema } from "./own-routes.ts";

/** The requests and responses of the admin API and of the API of a key's own calls, for the dashboard's page. */

export type KeyView = z.output<typeof keySchema>;
export type TeamView = z.output<typeof teamSchema>;
export type CallView = z.output<typeof callSchema>;
export type CallDetailView = z.output<typeof callDetailSchema>;
export type UsageRowView = z.output<typeof usageRowSchema>;
export type LimitsView = z.output<typeof keyLimitsStateSchema>;
export type HealthView = z.output<typeof healthSchema>;
export type SettingsView = z.output<typeof settingsSchema>;
export type AuditView = z.output<typeof auditSchema>;
export type OwnKeyView = z.output<typeof ownKeySchema>;
export type OwnLimitsView = z.output<typeof ownLimitsSchema>;
export type NewKeyInput = z.input<typeof newKeySchema>;
export type KeyPatchInput = z.input<typeof keyPatchSchema>;
export type NewTeamInput = z.input<typeof newTeamSchema>;
export type TeamPatchInput = z.input<typeof teamPatchSchema>;
