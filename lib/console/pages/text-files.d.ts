declare module '*.md' {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: this is how esbuild gives the text of a file.
  export default text;
}
