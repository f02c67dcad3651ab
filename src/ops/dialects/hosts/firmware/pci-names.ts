/**
 * Names that tools of firmware have for a NIC: a PCI address with or without its domain, an RDMA device, a device of the MST
 * driver.
 * Source: NVIDIA Firmware Tools, user manual (mst, mlxconfig, mlxreg).
 */

/** Name under which facts keep the port: "pci:0000:3d:00.1", "rdma:mlx5_0"; '': the tool's name does not tell. */
export function portNamed(device: string): string {
  const [, domain = '0000:', address] = /^([0-9a-f]{4}:)?([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])$/i.exec(device) ?? []
  if (address !== undefined) return `pci:${domain}${address}`.toLowerCase()
  return /^mlx\d+_\d+$/.test(device) ? `rdma:${device}` : ''
}
