trackway help version now
