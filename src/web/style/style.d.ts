/** Style sheets that are loaded with a part of the app. */
declare module "*.css";
