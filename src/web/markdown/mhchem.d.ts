/** Adds the commands of chemistry to KaTeX. It has no types, and nothing in it is called. */
declare module "katex/contrib/mhchem";
