/** The id under which the store keeps what administrators set for everybody of a role. No person has such an id. */
export function roleSubject(role: "guest" | "account" | "admin"): string {
  return `role ${role}`;
}
