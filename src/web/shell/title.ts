/** Names the page after the conversation, with the number of decisions that wait. An installed app shows it on its icon. */
export function titlePage(title: string, decisions: number): void {
  const name = title === "" ? "Tackle" : `${title} – Tackle`;
  document.title = decisions === 0 ? name : `(${decisions}) ${name}`;
  if (!("setAppBadge" in navigator)) return;
  // A browser that has no icon to show it on refuses.
  void (decisions === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(decisions)).catch(
    () => undefined,
  );
}
