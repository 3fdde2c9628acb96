import type { Json } from "../generated.js";

/** Returns the object, or an empty one for anything else. */
export function asObject(value: Json | undefined): { [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

export function asArray(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

export function asString(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

export function asNumber(value: Json | undefined): number {
  return typeof value === "number" ? value : 0;
}
