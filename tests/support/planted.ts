/**
 * Planted faults: a case passes on the program as it is; with a fault planted in what it is about, its own assertion has to
 * fail. A fault is a method of a class that does something else, or, where a value decides, the case run
 * with a wrong value.
 */
import { expect, test } from 'vitest'

/** Plants a fault. @returns takes it out again */
export type Fault = () => () => void

/**
 * Another method in the place of one. @param owner a prototype, or an object with the method
 * @param stand gets the object, the method as it was, and the arguments
 */
export function wrong<S extends object, A extends readonly unknown[] = readonly number[]>(
  owner: S,
  method: string,
  stand: (self: S, right: (...args: A) => unknown, ...args: A) => unknown,
): Fault {
  return () => {
    const before = Object.getOwnPropertyDescriptor(owner, method)
    if (typeof before?.value !== 'function') throw new Error(`no method ${method} to plant a fault in`)
    const { value } = before
    Object.defineProperty(owner, method, {
      ...before,
      value(this: S, ...args: A) {
        return stand(this, (...given) => Reflect.apply(value, this, given), ...args)
      },
    })
    return () => void Object.defineProperty(owner, method, before)
  }
}

/** A case on the program as it is. That it asserts something is shown by the faults with which it fails. */
export const passes = test

/** The case itself is run with a wrong value. */
export const asGiven: Fault = () => () => {}

/** A case fails with a fault: by an assertion of its own, and not because something else breaks. */
export function failsWith(id: string, fault: string, plant: Fault, check: () => void): void {
  test(`${id} fails with a planted fault: ${fault}`, () => {
    const remove = plant()
    try {
      expect(check).toThrow(expect.objectContaining({ name: 'AssertionError' }))
    } finally {
      remove()
    }
  })
}
