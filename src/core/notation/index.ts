/** Notation: texts in YAML and JSON, with the position of every value. */
export type { TreePath } from './tree-path.ts'
export { type Position, readYaml, TEXT_LENGTH_MAX, type YamlText, yamlValue } from './yaml-text.ts'
