/** Packages: kernels of Debian and of Ubuntu, as apt describes them. */
import { expect, test } from 'vitest'
import { kernelIn } from './packages.ts'

test("Debian's kernel is one package", () => {
  const text = [
    'linux-image-amd64',
    '  Depends: linux-image-6.1.0-56-amd64',
    'linux-image-6.1.0-56-amd64',
    '  Depends: kmod',
  ]
  expect(kernelIn('linux-image-amd64', text.join('\n'))).toEqual(['linux-image-6.1.0-56-amd64'])
})

test("Ubuntu's has rdma_rxe in a package of its own, and firmware and alternatives are left out", () => {
  const text = `linux-image-generic
  Depends: linux-image-6.8.0-71-generic
  Depends: linux-modules-extra-6.8.0-71-generic
  Depends: linux-firmware
linux-image-6.8.0-71-generic
  Depends: kmod
 |Depends: linux-base
  Depends: linux-modules-6.8.0-71-generic
linux-modules-extra-6.8.0-71-generic
  Depends: wireless-regdb
  Depends: <crda>
<crda>
linux-modules-6.8.0-71-generic
`
  expect(kernelIn('linux-image-generic', text)).toEqual([
    'linux-image-6.8.0-71-generic',
    'linux-modules-extra-6.8.0-71-generic',
    'linux-modules-6.8.0-71-generic',
  ])
})
