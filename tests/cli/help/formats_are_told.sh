trackway help formats
