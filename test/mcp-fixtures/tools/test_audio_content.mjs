export default {
  name: "test_audio_content",
  description: "Returns a sound.",
  effect: "none",
  retry: "pure",
  run: () => ({
    output: "",
    audio: [
      { mimeType: "audio/wav", base64: "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQQAAAAAAAAA" },
    ],
  }),
};
