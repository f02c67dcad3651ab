export function findClones(root: string, folders: readonly string[]): string[]
