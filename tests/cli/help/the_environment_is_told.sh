trackway help environment
