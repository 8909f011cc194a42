trackway help version
