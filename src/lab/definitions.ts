/**
 * Definitions: from a scenario's {kind, ...} value to the registered thing of that name.
 */
import { assert } from '../base/assert.ts'
import { InputError } from '../base/issue.ts'

/** The definition named `value.kind`; the scenario parser has made sure that there is one. */
export function createFrom<D extends { readonly name: string }>(
  definitions: readonly D[],
  value: { readonly kind: string },
): D {
  const found = definitions.find((definition) => definition.name === value.kind)
  assert(found !== undefined, 'a scenario names a definition that is not registered')
  return found
}

/** Puts where it is in front of the paths of input issues. */
export function withPath<T>(path: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw new InputError(
      error.issues.map((issue) => ({ ...issue, path: issue.path === '' ? path : `${path}.${issue.path}` })),
    )
  }
}
