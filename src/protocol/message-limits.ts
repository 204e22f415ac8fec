// What one request may hold. Without schemas, so that the terminal can read it before it loads any.

export const MAX_MESSAGES = 100;
export const MAX_ATTACHMENTS = 20;
export const MAX_MESSAGE_CHARACTERS = 100_000;
export const MAX_TOTAL_CHARACTERS = 500_000;
